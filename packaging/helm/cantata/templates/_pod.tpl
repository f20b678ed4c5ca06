{{/* The pod; both modes differ only in the volume `data`. */}}
{{- define "cantata.pod" -}}
metadata:
  labels:
    {{- include "cantata.labels" . | nindent 4 }}
    {{- with .Values.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- with .Values.imagePullSecrets }}
  imagePullSecrets:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.serviceAccountName }}
  serviceAccountName: {{ . }}
  {{- end }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  automountServiceAccountToken: false
  # Otherwise services of the cluster become environment variables, which could be read as settings.
  enableServiceLinks: false
  # Requests in flight are finished, for at most 20 seconds, after the delay of preStop.
  terminationGracePeriodSeconds: 40
  securityContext:
    {{- include "cantata.podSecurity" . | nindent 4 }}
  {{- if .Values.keysSecret }}
  initContainers:
    - name: keys
      image: {{ include "cantata.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      # A copy, not a link: the server writes into the file when a key was used last.
      command: ["install", "--mode=0600", "/etc/cantata/keys/keys.json", "/var/lib/cantata/keys.json"]
      securityContext:
        {{- include "cantata.containerSecurity" . | nindent 8 }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /var/lib/cantata
        - name: keys
          mountPath: /etc/cantata/keys
          readOnly: true
  {{- end }}
  containers:
    - name: cantata
      image: {{ include "cantata.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args: ["serve"]
      env:
        - name: BIND_ADDR
          value: "0.0.0.0"
        - name: SERVER_PORT
          value: "5050"
        - name: DATA_DIR
          value: /var/lib/cantata
        - name: CONFIGS_PATH
          value: /etc/cantata/configs
        {{- range $name, $value := .Values.settings }}
        - name: {{ $name }}
          {{- /* Numbers come as floats, which would be written with an exponent. */}}
          value: {{ kindIs "float64" $value | ternary (toJson $value) $value | toString | quote }}
        {{- end }}
        {{- range $name, $secret := .Values.secrets }}
        - name: {{ $name }}
          valueFrom:
            secretKeyRef:
              name: {{ $secret.name }}
              key: {{ $secret.key }}
        {{- end }}
      ports:
        - name: http
          containerPort: 5050
          protocol: TCP
      startupProbe:
        httpGet:
          path: {{ .Values.probes.liveness }}
          port: http
        periodSeconds: 5
        failureThreshold: {{ div (add .Values.startupSeconds 4) 5 }}
      livenessProbe:
        httpGet:
          path: {{ .Values.probes.liveness }}
          port: http
        periodSeconds: 10
        timeoutSeconds: 5
        failureThreshold: 3
      readinessProbe:
        httpGet:
          path: {{ .Values.probes.readiness }}
          port: http
        periodSeconds: 5
        timeoutSeconds: 5
        failureThreshold: 2
      lifecycle:
        # Requests still arrive until all of the cluster knows that this pod is terminating.
        preStop:
          exec:
            command: ["sleep", "5"]
      securityContext:
        {{- include "cantata.containerSecurity" . | nindent 8 }}
      resources:
        {{- toYaml .Values.resources | nindent 8 }}
      volumeMounts:
        - name: data
          mountPath: /var/lib/cantata
        - name: tmp
          mountPath: /tmp
        {{- if .Values.catalogues }}
        - name: catalogues
          mountPath: /etc/cantata/configs
          readOnly: true
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
  volumes:
    {{- if eq .Values.mode "shared" }}
    - name: data
      emptyDir: {}
    {{- end }}
    - name: tmp
      emptyDir: {}
    {{- if .Values.catalogues }}
    - name: catalogues
      configMap:
        name: {{ include "cantata.fullname" . }}-catalogues
        items:
          {{- range $catalogue, $files := .Values.catalogues }}
          {{- range $file, $content := $files }}
          - key: {{ printf "%s.%s" $catalogue $file | quote }}
            path: {{ printf "%s/%s" $catalogue $file | quote }}
          {{- end }}
          {{- end }}
    {{- end }}
    {{- if .Values.keysSecret }}
    - name: keys
      secret:
        secretName: {{ .Values.keysSecret }}
        defaultMode: 0440
    {{- end }}
    {{- with .Values.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.affinity }}
  affinity:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
