{{- define "common.workload" -}}
{{- $journal := .Values.service.journal -}}
apiVersion: apps/v1
kind: {{ ternary "StatefulSet" "Deployment" ($journal | default false) }}
metadata:
  {{- include "common.metadata" . | nindent 2 }}
spec:
  {{- if not (or .Values.autoscaling.enabled (.Values.keda).enabled) }}
  replicas: {{ .Values.replicaCount }}
  {{- end }}
  minReadySeconds: 5
  revisionHistoryLimit: 5
  selector:
    matchLabels:
      {{- include "common.selector" . | nindent 6 }}
  {{- if $journal }}
  serviceName: {{ include "common.name" . }}-grpc
  # Replicas do not wait for each other to start.
  podManagementPolicy: Parallel
  updateStrategy:
    rollingUpdate:
      maxUnavailable: {{ .Values.rollout.maxUnavailable }}
  # A journal may hold usage that is not yet billed: the pod that has the volume next brings it home.
  persistentVolumeClaimRetentionPolicy:
    whenDeleted: Retain
    whenScaled: Retain
  {{- else }}
  strategy:
    rollingUpdate:
      maxUnavailable: 0
      maxSurge: {{ .Values.rollout.maxSurge }}
  {{- end }}
  template:
    {{- include "common.podTemplate" . | nindent 4 }}
  {{- if $journal }}
  volumeClaimTemplates:
    - metadata:
        name: journal
        labels:
          {{- include "common.selector" . | nindent 10 }}
      spec:
        accessModes:
          {{- toYaml .Values.journal.accessModes | nindent 10 }}
        {{- with .Values.journal.storageClass }}
        storageClassName: {{ . }}
        {{- end }}
        resources:
          requests:
            storage: {{ .Values.journal.size }}
  {{- end }}
{{- end }}

{{- define "common.scaling" -}}
{{- if and .Values.autoscaling.enabled (.Values.keda).enabled }}
{{- fail "autoscaling.enabled and keda.enabled: choose one, because both set the number of replicas" }}
{{- end }}
{{- if .Values.autoscaling.enabled }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  {{- include "common.metadata" . | nindent 2 }}
spec:
  scaleTargetRef:
    apiVersion: apps/v1
    kind: {{ ternary "StatefulSet" "Deployment" (.Values.service.journal | default false) }}
    name: {{ include "common.name" . }}
  minReplicas: {{ .Values.autoscaling.minReplicas }}
  maxReplicas: {{ .Values.autoscaling.maxReplicas }}
  metrics:
    - type: Resource
      resource:
        name: cpu
        # Of one core, which is what a process can use, whatever it requests.
        target:
          type: AverageValue
          averageValue: {{ mul .Values.autoscaling.cpu 10 }}m
    {{- if .Values.autoscaling.inFlight }}
    - type: Pods
      pods:
        metric:
          name: {{ .Values.service.inFlight | default "uag_open_requests" }}
        target:
          type: AverageValue
          averageValue: {{ .Values.autoscaling.inFlight | quote }}
    {{- end }}
    {{- with .Values.autoscaling.metrics }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  behavior:
    scaleDown:
      stabilizationWindowSeconds: 300
      policies:
        - type: Pods
          value: 1
          periodSeconds: 60
{{- end }}
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  {{- include "common.metadata" . | nindent 2 }}
spec:
  maxUnavailable: {{ .Values.podDisruptionBudget.maxUnavailable }}
  unhealthyPodEvictionPolicy: AlwaysAllow
  selector:
    matchLabels:
      {{- include "common.selector" . | nindent 6 }}
{{- end }}
