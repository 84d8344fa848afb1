/**
 * Variables that keep libraries and the programs that we start from sending usage data or looking for updates. What was
 * found in each dependency is listed in docs/decisions/0155-nothing-is-sent-elsewhere.md.
 */
export const noTelemetry: Readonly<Record<string, string>> = {
  // https://consoledonottrack.com, which vLLM and huggingface_hub respect.
  DO_NOT_TRACK: '1',
  // onnxruntime sends events to Microsoft and writes a device id to ~/.cache/Microsoft.
  ORT_DISABLE_TELEMETRY: '1',
  HF_HUB_DISABLE_TELEMETRY: '1',
  HF_HUB_DISABLE_UPDATE_CHECK: '1',
  // transformers asks a service of the hub to convert weights that are not in safetensors.
  DISABLE_SAFETENSORS_CONVERSION: '1',
  VLLM_NO_USAGE_STATS: '1',
  VLLM_DO_NOT_TRACK: '1',
  RAY_USAGE_STATS_ENABLED: '0',
  PIP_DISABLE_PIP_VERSION_CHECK: '1',
};
