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
spec:
  groups:
    - name: {{ include "common.name" . }}
      rules:
        - alert: UagProcessDown
          expr: up{job="{{ include "common.name" . }}-admin"} == 0
          for: 2m
          labels:
            severity: warning
          annotations:
            summary: A replica of {{ .Chart.Name }} does not answer
        {{- with .Values.service.rules }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
{{- end }}
{{- end }}
