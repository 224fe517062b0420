{{/*
A Job that runs one command of the service's image before a release, and the network that it may use. Its pods do not
match the service's selectors, so neither its disruption budget nor its Services count them.
Call with: root, name, command (a list), weight, and optionally env, volumes, mounts, egress (lists).
*/}}
{{- define "common.hook" -}}
{{- $ := .root -}}
{{- $name := printf "%s-%s" (include "common.name" $) .name -}}
{{- $app := printf "%s-%s" $.Chart.Name .name -}}
{{- $annotations := dict "helm.sh/hook" "pre-install,pre-upgrade" "helm.sh/hook-weight" (.weight | toString) "helm.sh/hook-delete-policy" "before-hook-creation,hook-succeeded" -}}
---
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ $name }}
  labels:
    {{- include "common.labelsOf" (dict "root" $ "name" $app) | nindent 4 }}
  annotations:
    {{- toYaml $annotations | nindent 4 }}
spec:
  backoffLimit: 3
  activeDeadlineSeconds: 300
  template:
    metadata:
      labels:
        {{- include "common.labelsOf" (dict "root" $ "name" $app) | nindent 8 }}
    spec:
      restartPolicy: Never
      automountServiceAccountToken: false
      enableServiceLinks: false
      {{- with (($.Values.global).imagePullSecrets) | default $.Values.imagePullSecrets }}
      imagePullSecrets:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      securityContext:
        runAsNonRoot: true
        {{- include "common.userIds" $ | nindent 8 }}
        seccompProfile:
          type: RuntimeDefault
      containers:
        - name: {{ .name }}
          image: {{ include "common.image" $ }}
          imagePullPolicy: {{ $.Values.image.pullPolicy }}
          command:
            {{- toYaml .command | nindent 12 }}
          {{- with .env }}
          env:
            {{- toYaml . | nindent 12 }}
          {{- end }}
          resources:
            {{- toYaml $.Values.resources | nindent 12 }}
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities:
              drop: [ALL]
          {{- with .mounts }}
          volumeMounts:
            {{- toYaml . | nindent 12 }}
          {{- end }}
      {{- with .volumes }}
      volumes:
        {{- toYaml . | nindent 8 }}
      {{- end }}
{{- if $.Values.networkPolicy.enabled }}
---
apiVersion: networking.k8s.io/v1
kind: NetworkPolicy
metadata:
  name: {{ $name }}
  labels:
    {{- include "common.labelsOf" (dict "root" $ "name" $app) | nindent 4 }}
  annotations:
    {{- toYaml (set $annotations "helm.sh/hook-weight" (sub .weight 1 | toString)) | nindent 4 }}
spec:
  podSelector:
    matchLabels:
      {{- include "common.selectorOf" (dict "root" $ "name" $app) | nindent 6 }}
  policyTypes: [Ingress, Egress]
  {{- with .egress }}
  egress:
    - ports:
        - port: 53
          protocol: UDP
        - port: 53
          protocol: TCP
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end }}
