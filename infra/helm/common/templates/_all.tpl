{{/* Everything that a service is in a cluster. */}}
{{- define "common.all" -}}
{{ include "common.workload" . }}
{{ include "common.scaling" . }}
{{ include "common.services" . }}
{{ include "common.networkPolicy" . }}
{{ include "common.identity" . }}
{{ include "common.monitoring" . }}
{{- end }}
