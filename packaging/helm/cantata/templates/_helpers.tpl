{{- define "cantata.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "cantata.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 63 | trimSuffix "-" -}}
{{- else if contains (include "cantata.name" .) .Release.Name -}}
{{- .Release.Name | trunc 63 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name (include "cantata.name" .) | trunc 63 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "cantata.selector" -}}
app.kubernetes.io/name: {{ include "cantata.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
app.kubernetes.io/component: server
{{- end -}}

{{- define "cantata.labels" -}}
{{ include "cantata.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | quote }}
{{- end -}}

{{- define "cantata.image" -}}
{{ .Values.image.repository }}:{{ .Values.image.tag | default .Chart.AppVersion }}
{{- end -}}

{{/* The security context of containers: no capabilities, no privilege escalation, a read-only root file system. */}}
{{- define "cantata.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
capabilities:
  drop:
    - ALL
{{- end -}}

{{- define "cantata.podSecurity" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
fsGroupChangePolicy: OnRootMismatch
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{/* Rejects values that would start and then fail: identical pods must share their data. */}}
{{- define "cantata.check" -}}
{{- if eq .Values.mode "shared" -}}
{{- if not (hasKey .Values.secrets "DATABASE_URL") -}}
{{- fail "mode shared needs secrets.DATABASE_URL: without it each pod would keep studies and analyses for itself" -}}
{{- end -}}
{{- if not (hasKey .Values.settings "ES_HOST") -}}
{{- fail "mode shared needs settings.ES_HOST: without it each pod would have indexes of its own" -}}
{{- end -}}
{{- if eq (.Values.settings.SEARCH_ENGINE | default "") "embedded" -}}
{{- fail "mode shared needs a cluster to search: settings.SEARCH_ENGINE is embedded" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- fail "ingress.enabled needs ingress.hosts" -}}
{{- end -}}
{{- end -}}
