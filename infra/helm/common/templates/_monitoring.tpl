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
{{- $text := include "common.linkedRules" . | replace "service=~\".+\"" $ours }}
{{- $text = $text | replace "job=~\"uag-.+\"" $job }}
{{- $text = $text | replace "pod=~\"uag-.+\"" (printf "pod=~\"%s-.+\"" (include "common.name" .)) }}
spec:
  {{- include "common.ruleGroups" (dict "text" $text "groups" $groups) | nindent 2 }}
{{- end }}
{{- end }}

{{/* The rules with the URLs of the operator's own runbooks. */}}
{{- define "common.linkedRules" -}}
{{- $own := "https://git.example.com/ai/gateway/blob/main/infra/runbooks" -}}
{{- $url := ((.Values.global).runbookUrl) | default (.Values.prometheusRule).runbookUrl | default $own -}}
{{- include "common.rules" . | replace $own (trimSuffix "/" $url) -}}
{{- end }}

{{/* Some groups of the rules: (dict "text" <rules> "groups" <names>) */}}
{{- define "common.ruleGroups" -}}
groups:
  {{- range (fromYaml .text).groups }}
  {{- if has .name $.groups }}
  - {{ toYaml . | nindent 4 | trim }}
  {{- end }}
  {{- end }}
{{- end }}
