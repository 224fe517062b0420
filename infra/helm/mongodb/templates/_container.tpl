{{/* The members' names, the first first: it may begin the set. */}}
{{- define "mongodb.members" -}}
{{- $name := include "common.name" . -}}
{{- range $ordinal := until (int .Values.replicaCount) }}
- {{ $name }}-{{ $ordinal }}.{{ $name }}
{{- end }}
{{- end }}

{{- define "mongodb.image" -}}
{{- $tag := .Values.image.tag | default .Chart.AppVersion -}}
{{- $pinned := ternary .Chart.Annotations.imageDigest "" (empty .Values.image.tag) -}}
{{- $digest := .Values.image.digest | default $pinned -}}
{{- if .Values.image.registry }}{{ .Values.image.registry }}/{{ end }}{{ .Values.image.repository }}
{{- if $digest }}@{{ $digest }}{{ else }}:{{ $tag }}{{ end }}
{{- end }}

{{- define "mongodb.companionImage" -}}
{{- $own := .Values.companion.image -}}
{{- $global := (((.Values.global).image)) | default dict -}}
{{- $registry := $global.registry | default $own.registry -}}
{{- $tag := $own.tag | default $global.tag | default .Chart.Version -}}
{{- if $registry }}{{ $registry }}/{{ end }}{{ $global.repository | default $own.repository }}/billing
{{- if $own.digest }}@{{ $own.digest }}{{ else }}:{{ $tag }}{{ end }}
{{- end }}

{{- define "mongodb.confined" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities:
    drop: [ALL]
{{- end }}

{{- define "mongodb.address" -}}
- name: POD_IP
  valueFrom:
    fieldRef:
      fieldPath: status.podIP
{{- end }}

{{- define "mongodb.mounts" -}}
- name: run
  mountPath: /run/mongodb
- name: tls
  mountPath: /etc/mongodb/tls
  readOnly: true
{{- end }}

{{- define "mongodb.container" -}}
name: mongodb
image: {{ include "mongodb.image" . }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
command: [mongod]
args:
  - --replSet={{ include "common.name" . }}
  # Its companion comes by the socket: only there may the first user be made without one.
  - --bind_ip=$(POD_IP),/run/mongodb/mongodb.sock
  - --unixSocketPrefix=/run/mongodb
  - --filePermissions=0700
  - --port=27017
  - --dbpath=/data
  - --auth
  - --tlsMode=requireTLS
  - --tlsCertificateKeyFile=/etc/mongodb/tls/tls-combined.pem
  - --tlsCAFile=/etc/mongodb/tls/ca.crt
  # Services show a password; certificates are what members know each other by.
  - --tlsAllowConnectionsWithoutCertificates
  - --clusterAuthMode=x509
  - --wiredTigerCacheSizeGB={{ divf .Values.cacheMegabytes 1024 }}
  - --oplogSize={{ .Values.oplogMegabytes }}
  - --setParameter=shutdownTimeoutMillisForSignaledShutdown={{ mul .Values.handoverSeconds 1000 }}
  # The log of slow operations has their documents, with clients' links and addresses.
  - --slowOpSampleRate=0
  - --quiet
env:
  {{- include "mongodb.address" . | nindent 2 }}
ports:
  - { name: client, containerPort: 27017 }
startupProbe:
  tcpSocket: { port: client }
  periodSeconds: 2
  timeoutSeconds: 5
  # After a crash it reads its journal first.
  failureThreshold: 900
livenessProbe:
  tcpSocket: { port: client }
  periodSeconds: 30
  timeoutSeconds: 5
  failureThreshold: 3
# Its companion's: whether it is a primary or a secondary.
readinessProbe:
  httpGet: { path: /ready, port: 9464 }
  periodSeconds: 5
  timeoutSeconds: 5
  failureThreshold: 3
# It hands over by itself when it ends; clients learn of the new primary from the set.
lifecycle:
  preStop:
    sleep:
      seconds: 1
resources:
  {{- toYaml .Values.resources | nindent 2 }}
{{ include "mongodb.confined" . }}
volumeMounts:
  {{- include "mongodb.mounts" . | nindent 2 }}
  - name: data
    mountPath: /data
{{- end }}

{{- define "mongodb.companion" -}}
name: companion
image: {{ include "mongodb.companionImage" . }}
imagePullPolicy: {{ .Values.companion.image.pullPolicy }}
restartPolicy: Always
command: [node, mongo-member.js]
env:
  - name: HOST
    valueFrom:
      fieldRef:
        fieldPath: status.podIP
  - name: POD_NAME
    valueFrom:
      fieldRef:
        fieldPath: metadata.name
  - name: PORT
    value: "9464"
  - name: REPLICA_SET
    value: {{ include "common.name" . }}
  - name: MEMBERS
    value: {{ range $n, $member := include "mongodb.members" . | fromYamlArray }}{{ if $n }},{{ end }}{{ $member }}:27017{{ end }}
  - name: SOCKET
    value: /run/mongodb/mongodb.sock
  - name: CERTIFICATE
    value: /etc/mongodb/tls/tls-combined.pem
  - name: CA
    value: /etc/mongodb/tls/ca.crt
  - name: PASSWORDS
    value: /etc/mongodb/secrets/passwords.json
ports:
  - { name: health, containerPort: 9464 }
resources:
  {{- toYaml .Values.companion.resources | nindent 2 }}
{{ include "mongodb.confined" . }}
volumeMounts:
  {{- include "mongodb.mounts" . | nindent 2 }}
  - name: secrets
    mountPath: /etc/mongodb/secrets
    readOnly: true
{{- end }}
