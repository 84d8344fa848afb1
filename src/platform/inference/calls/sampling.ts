/** How text is generated, on both completion endpoints. The names are those of the API, since they are sent as they are. */
export interface Sampling {
  model: string;
  temperature?: number;
  top_p?: number;
  top_k?: number;
  min_p?: number;
  n?: number;
  seed?: number;
  stop?: string | readonly string[];
  max_tokens?: number;
  presence_penalty?: number;
  frequency_penalty?: number;
  repetition_penalty?: number;
}
