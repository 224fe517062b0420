{{- define "nats.image" -}}
{{- $tag := .Values.image.tag | default (printf "%s-alpine" .Chart.AppVersion) -}}
{{- $pinned := ternary .Chart.Annotations.imageDigest "" (empty .Values.image.tag) -}}
{{- $digest := .Values.image.digest | default $pinned -}}
{{- if .Values.image.registry }}{{ .Values.image.registry }}/{{ end }}{{ .Values.image.repository }}
{{- if $digest }}@{{ $digest }}{{ else }}:{{ $tag }}{{ end }}
{{- end }}

{{- define "nats.confined" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "nats.mounts" -}}
- name: run
  mountPath: /run/nats
- name: config
  mountPath: /etc/nats/config
  readOnly: true
- name: secrets
  mountPath: /etc/nats/secrets
  readOnly: true
- name: tls
  mountPath: /etc/nats/tls
  readOnly: true
{{- end }}

{{- define "nats.container" -}}
name: nats
image: {{ include "nats.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
command: [nats-server]
args: [--config, /etc/nats/config/nats.conf]
env:
  - name: POD_NAME
    valueFrom:
      fieldRef:
        fieldPath: metadata.name
  - name: POD_IP
    valueFrom:
      fieldRef:
        fieldPath: status.podIP
ports:
  - { name: client, containerPort: 4222 }
  - { name: cluster, containerPort: 6222 }
  - { name: monitor, containerPort: 8222 }
# Ready for the first time when its streams are up to date, so that a roll waits for them.
startupProbe:
  httpGet: { path: "/healthz", port: monitor }
  periodSeconds: 2
  timeoutSeconds: 5
  failureThreshold: 300
livenessProbe:
  httpGet: { path: "/healthz?js-enabled-only=true", port: monitor }
  periodSeconds: 30
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  httpGet: { path: "/healthz?js-server-only=true", port: monitor }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 3
lifecycle:
  preStop:
    exec:
      command: [nats-server, --signal, ldm=/run/nats/nats.pid]
resources:
  {{- toYaml .Values.resources | nindent 2 }}
{{ include "nats.confined" . }}
volumeMounts:
  {{- include "nats.mounts" . | nindent 2 }}
  - name: data
    mountPath: /data
{{- end }}

{{/* Has the server read its certificate and passwords again when they have changed. */}}
{{- define "nats.reload" -}}
name: reload
image: {{ include "nats.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
restartPolicy: Always
command: [sh, -c]
args:
  - |
    state() { cat /etc/nats/tls/tls.crt /etc/nats/tls/tls.key /etc/nats/tls/ca.crt /etc/nats/secrets/passwords.conf | sha256sum; }
    known=$(state)
    while sleep 10; do
      now=$(state)
      [ "$now" = "$known" ] || { nats-server --signal reload=/run/nats/nats.pid && known=$now; }
    done
resources:
  requests:
    cpu: 5m
    memory: 16Mi
  limits:
    memory: 64Mi
{{ include "nats.confined" . }}
volumeMounts:
  {{- include "nats.mounts" . | nindent 2 }}
{{- end }}
