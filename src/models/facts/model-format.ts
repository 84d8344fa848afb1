export type ModelFormat = 'gguf' | 'safetensors' | 'onnx' | 'pickle' | 'peft';
