{{- define "common.monitoring" -}}
{{- if .Values.serviceMonitor.enabled }}
---
apiVersion: monitoring.coreos.com/v1
kind: ServiceMonitor
metadata:
  name: {{ include "common.name" . }}
  labels:
    {{- include "common.labels" . | nindent 4 }}
    {{- with .Values.serviceMonitor.labels }}{{ toYaml . | nindent 4 }}{{ end }}
spec:
  selector:
    matchLabels:
      {{- include "common.selector" . | nindent 6 }}
      uag/port: admin
  endpoints:
    - port: admin
      path: /metrics
      # The processes' own label `service`, by which rules and dashboards ask, is kept.
      honorLabels: true
      interval: {{ .Values.serviceMonitor.interval }}
{{- end }}
{{- if .Values.prometheusRule.enabled }}
---
apiVersion: monitoring.coreos.com/v1
kind: PrometheusRule
metadata:
  name: {{ include "common.name" . }}
  labels:
    {{- include "common.labels" . | nindent 4 }}
    {{- with .Values.prometheusRule.labels }}{{ toYaml . | nindent 4 }}{{ end }}
{{- $groups := list "process" .Chart.Name }}
{{- if .Values.service.journal }}{{ $groups = append $groups "capability" }}{{ end }}
{{- $ours := printf "service=%q" .Chart.Name }}
{{- $job := printf "job=\"%s-admin\"" (include "common.name" .) }}
{{- $text := include "common.rules" . | replace "service=~\".+\"" $ours }}
{{- $text = $text | replace "job=~\"uag-.+\"" $job }}
{{- $text = $text | replace "pod=~\"uag-.+\"" (printf "pod=~\"%s-.+\"" (include "common.name" .)) }}
spec:
  groups:
    {{- range (fromYaml $text).groups }}
    {{- if has .name $groups }}
    - {{ toYaml . | nindent 6 | trim }}
    {{- end }}
    {{- end }}
{{- end }}
{{- end }}
