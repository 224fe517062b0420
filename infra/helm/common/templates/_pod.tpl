{{- define "common.probe" -}}
httpGet:
  path: {{ . }}
  port: admin
{{- end }}

{{- define "common.container" -}}
name: {{ .Chart.Name }}
image: {{ include "common.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
env:
  {{- include "common.env" . | nindent 2 }}
ports:
  {{- range $name, $port := .Values.service.ports }}
  - name: {{ $name }}
    containerPort: {{ $port.port }}
  {{- end }}
startupProbe:
  {{- include "common.probe" "/health/live" | nindent 2 }}
  periodSeconds: 1
  failureThreshold: 120
# The event loop answers it: a process that is stuck does not.
livenessProbe:
  {{- include "common.probe" "/health/live" | nindent 2 }}
  periodSeconds: 10
  timeoutSeconds: 5
  failureThreshold: 3
readinessProbe:
  {{- include "common.probe" .Values.service.ready | nindent 2 }}
  periodSeconds: 2
  timeoutSeconds: 2
  failureThreshold: 2
lifecycle:
  preStop:
    sleep:
      seconds: {{ .Values.preStopSeconds }}
resources:
  {{- toYaml .Values.resources | nindent 2 }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
volumeMounts:
  - name: tmp
    mountPath: /tmp
  {{- if include "common.secretNames" . | fromYamlArray }}
  - name: secrets
    mountPath: /etc/uag/secrets
    readOnly: true
  {{- end }}
  {{- if .Values.service.peer }}
  - name: tls
    mountPath: /etc/uag/tls
    readOnly: true
  {{- end }}
  {{- if include "common.mongodbCa" . }}
  - name: mongodb-ca
    mountPath: /etc/uag/mongodb
    readOnly: true
  {{- end }}
  {{- if .Values.service.catalog }}
  - name: catalog
    mountPath: /etc/uag/catalog
    readOnly: true
  {{- end }}
  {{- if .Values.service.journal }}
  - name: journal
    mountPath: /var/lib/uag
  {{- end }}
  {{- with .Values.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end }}

{{- define "common.mails" -}}
{{- if .Values.service.mail }}{{ .Values.mail.from }}{{ end -}}
{{- end }}

{{- define "common.secretNames" -}}
{{- $mail := ternary list (list "SMTP_URL") (include "common.mails" . | empty) -}}
{{- concat .Values.secretKeys .Values.extraSecretKeys $mail | uniq | toYaml -}}
{{- end }}

{{- define "common.volumes" -}}
- name: tmp
  emptyDir:
    sizeLimit: 64Mi
{{- with include "common.secretNames" . | fromYamlArray }}
- name: secrets
  secret:
    secretName: {{ include "common.secret" $ }}
    defaultMode: 0440
    items:
      {{- range . }}
      - key: {{ . }}
        path: {{ . }}
      {{- end }}
{{- end }}
{{- if .Values.service.peer }}
- name: tls
  secret:
    secretName: {{ include "common.tlsSecret" . }}
    defaultMode: 0440
{{- end }}
{{- with include "common.mongodbCa" . }}
- name: mongodb-ca
  secret:
    secretName: {{ . }}
    defaultMode: 0440
    items:
      - key: ca.crt
        path: ca.crt
{{- end }}
{{- if .Values.service.catalog }}
- name: catalog
  configMap:
    name: {{ include "common.catalog" . }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end }}

{{/* The pod's user and groups; none where the platform assigns them, as OpenShift does. */}}
{{- define "common.userIds" -}}
{{- with .Values.userId -}}
runAsUser: {{ . }}
runAsGroup: {{ . }}
fsGroup: {{ . }}
{{- end }}
{{- end }}

{{/*
How the members of an engine are spread. Of five members in three zones, one zone has one, so that the loss of any zone
leaves a majority.
*/}}
{{- define "common.memberSpread" -}}
{{- $required := dict "kubernetes.io/hostname" .Values.oneMemberPerNode "topology.kubernetes.io/zone" (and .Values.oneMemberPerNode .Values.threeZones) -}}
{{- range .Values.topologySpreadKeys }}
- maxSkew: 1
  topologyKey: {{ . }}
  whenUnsatisfiable: {{ ternary "DoNotSchedule" "ScheduleAnyway" (get $required . | default false) }}
  {{- if and (eq . "topology.kubernetes.io/zone") (get $required .) }}
  minDomains: 3
  {{- end }}
  labelSelector:
    matchLabels:
      {{- include "common.selector" $ | nindent 6 }}
{{- end }}
{{- end }}

{{- define "common.podTemplate" -}}
metadata:
  labels:
    {{- include "common.podLabels" . | nindent 4 }}
    {{- with .Values.podLabels }}{{ toYaml . | nindent 4 }}{{ end }}
  {{- $catalog := mergeOverwrite (deepCopy .Values.catalog) (((.Values.global).catalog) | default dict) }}
  {{- $roll := and .Values.service.catalog $catalog.rollOnChange $catalog.content }}
  {{- if or .Values.podAnnotations $roll }}
  annotations:
    {{- with .Values.podAnnotations }}{{ toYaml . | nindent 4 }}{{ end }}
    {{- if $roll }}
    checksum/catalog: {{ $catalog.content | sha256sum }}
    {{- end }}
  {{- end }}
spec:
  serviceAccountName: {{ include "common.name" . }}
  automountServiceAccountToken: false
  enableServiceLinks: false
  {{- with ((.Values.global).imagePullSecrets) | default .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- $drain := ternary .Values.drainSeconds 0 (.Values.service.drains | default false) }}
  terminationGracePeriodSeconds: {{ add .Values.preStopSeconds $drain .Values.stopSeconds }}
  securityContext:
    runAsNonRoot: true
    {{- include "common.userIds" . | nindent 4 }}
    fsGroupChangePolicy: OnRootMismatch
    seccompProfile:
      type: RuntimeDefault
  containers:
    - {{- include "common.container" . | nindent 6 }}
  volumes:
    {{- include "common.volumes" . | nindent 4 }}
  topologySpreadConstraints:
    {{- range .Values.topologySpreadKeys }}
    - maxSkew: 1
      topologyKey: {{ . }}
      whenUnsatisfiable: ScheduleAnyway
      labelSelector:
        matchLabels:
          {{- include "common.selector" $ | nindent 10 }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
{{- end }}
