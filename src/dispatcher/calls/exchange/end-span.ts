import type { Span } from '../../../platform/telemetry/tracing/tracing.ts';
import type { FinishedRequest } from './finished-request.ts';

/** Closes the span of a request with what is known of it. */
export function endSpan(span: Span, { model, status, pod, failure, usage }: FinishedRequest): void {
  span.set({
    'gen_ai.request.model': model,
    'http.response.status_code': status,
    ...(pod === undefined ? {} : { 'roundhouse.pod': pod }),
    ...(usage
      ? {
          'gen_ai.usage.input_tokens': usage.promptTokens,
          'gen_ai.usage.output_tokens': usage.completionTokens,
        }
      : {}),
  });
  span.end(failure === '' ? undefined : new Error(failure));
}
