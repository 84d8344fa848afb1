import type { Exchange } from '../calls/exchange.ts';

/** Closes the span of a request with what is known of it. */
export function endSpan({ span, model, status, pod, failure, usage }: Exchange): void {
  span?.set({
    'gen_ai.request.model': model,
    'http.response.status_code': status,
    ...(pod ? { 'roundhouse.pod': pod.id } : {}),
    ...(usage
      ? {
          'gen_ai.usage.input_tokens': usage.promptTokens,
          'gen_ai.usage.output_tokens': usage.completionTokens,
        }
      : {}),
  });
  span?.end(failure === '' ? undefined : new Error(failure));
}
