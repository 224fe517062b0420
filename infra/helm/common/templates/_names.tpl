{{- define "common.fleet" -}}
{{- ((.Values.global).fleet) | default .Values.fleet -}}
{{- end }}

{{- define "common.name" -}}
{{- printf "%s-%s" (include "common.fleet" .) .Chart.Name -}}
{{- end }}

{{- define "common.selectorOf" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/part-of: {{ include "common.fleet" .root }}
{{- end }}

{{- define "common.selector" -}}
{{ include "common.selectorOf" (dict "root" . "name" .Chart.Name) }}
{{- end }}

{{/* The labels of pods: none changes with the chart's version, so that only a change of the pod replaces it. */}}
{{- define "common.podLabels" -}}
{{ include "common.selector" . }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end }}

{{- define "common.labelsOf" -}}
{{ include "common.selectorOf" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version }}
{{- end }}

{{- define "common.labels" -}}
{{ include "common.labelsOf" (dict "root" . "name" .Chart.Name) }}
{{- end }}

{{- define "common.metadata" -}}
name: {{ include "common.name" . }}
labels:
  {{- include "common.labels" . | nindent 2 }}
{{- end }}

{{/* A setting of the whole fleet, or the chart's own: (list . "nats" "url") */}}
{{- define "common.image" -}}
{{- $global := (((.Values.global).image)) | default dict -}}
{{- $registry := $global.registry | default .Values.image.registry -}}
{{- $tag := .Values.image.tag | default $global.tag | default .Chart.AppVersion -}}
{{- if $registry }}{{ $registry }}/{{ end }}{{ $global.repository | default .Values.image.repository }}/{{ .Chart.Name }}
{{- if .Values.image.digest }}@{{ .Values.image.digest }}{{ else }}:{{ $tag }}{{ end }}
{{- end }}

{{/* The first three servers of the chart `nats`. */}}
{{- define "common.bundledNats" -}}
{{- $name := printf "%s-nats" (include "common.fleet" .) -}}
{{- $urls := list -}}
{{- range $ordinal := until 3 -}}
{{- $urls = append $urls (printf "nats://%s-%d.%s:4222" $name $ordinal $name) -}}
{{- end -}}
{{- join "," $urls -}}
{{- end }}

{{/* Where clients reach the gateway; nothing if unset. */}}
{{- define "common.publicUrl" -}}
{{- ((.Values.global).publicUrl) | default .Values.publicUrl -}}
{{- end }}

{{/* The host in that URL, without its port: that of the gateway's or the ingress's rules. */}}
{{- define "common.publicHost" -}}
{{- $url := include "common.publicUrl" . | required "publicUrl (global.publicUrl in the fleet's chart) is required: its host is that of the HTTPRoute or the Ingress" -}}
{{- (urlParse $url).hostname -}}
{{- end }}

{{- define "common.secret" -}}
{{- .Values.existingSecret | default (include "common.name" .) -}}
{{- end }}

{{- define "common.tlsSecret" -}}
{{- .Values.tls.existingSecret | default (printf "%s-tls" (include "common.name" .)) -}}
{{- end }}

{{/* The Secret with the CA by which a service believes MongoDB; nothing when it needs none. */}}
{{- define "common.mongodbCa" -}}
{{- if .Values.service.mongodb -}}
{{- $mongodb := mergeOverwrite (deepCopy .Values.mongodb) (((.Values.global).mongodb) | default dict) -}}
{{- $bundled := ternary (printf "%s-mongodb-tls" (include "common.fleet" .)) "" $mongodb.bundled -}}
{{- $mongodb.caSecret | default $bundled -}}
{{- end -}}
{{- end }}

{{- define "common.catalog" -}}
{{- .Values.catalog.configMap | default (printf "%s-catalog" (include "common.fleet" .)) -}}
{{- end }}
