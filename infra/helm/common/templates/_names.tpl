{{- define "common.fleet" -}}
{{- ((.Values.global).fleet) | default .Values.fleet -}}
{{- end }}

{{- define "common.name" -}}
{{- printf "%s-%s" (include "common.fleet" .) .Chart.Name -}}
{{- end }}

{{- define "common.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/part-of: {{ include "common.fleet" . }}
{{- end }}

{{- define "common.labels" -}}
{{ include "common.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
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
