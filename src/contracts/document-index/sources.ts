import { z } from 'zod';

const url = z.url({ protocol: /^https?$/, error: 'must be an http or https URL' }).max(4096);
const secret = z.string().min(1).max(4096).meta({ format: 'password', writeOnly: true });

export const SourceDescriptor = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('direct_link'), url }),
    z.strictObject({ type: z.literal('portal'), url, login: z.string().min(1).max(256), password: secret }),
    z.strictObject({ type: z.literal('wiki'), url, api_key: secret }),
    z.strictObject({ type: z.literal('drive_a'), url }),
    z.strictObject({ type: z.literal('drive_b'), url }),
  ])
  .meta({ id: 'SourceDescriptor' });
export type SourceDescriptor = z.infer<typeof SourceDescriptor>;

type IssueContext = z.core.ParsePayload<unknown>;

/** The `urls` field: a descriptor as JSON text, a JSON array of descriptors, or a repeated field. */
export const SourceList = z.codec(
  z.union([z.string(), z.array(z.string()).min(1)]),
  z.array(SourceDescriptor).min(1),
  {
    decode: (value, context) =>
      (Array.isArray(value) ? value : [value]).flatMap((text) => {
        const parsed = parseDescriptor(text, context as IssueContext);
        return Array.isArray(parsed) ? parsed : [parsed];
      }) as z.input<typeof SourceDescriptor>[],
    encode: (sources) => JSON.stringify(sources),
  },
);

/** The `url` field of `document_by_url`: a direct link, or a descriptor as JSON text. */
export const SourceText = z.codec(z.string().min(1), SourceDescriptor, {
  decode: (text, context) =>
    (text.trimStart().startsWith('{')
      ? parseDescriptor(text, context as IssueContext)
      : { type: 'direct_link', url: text.trim() }) as z.input<typeof SourceDescriptor>,
  encode: (source) => JSON.stringify(source),
});

/** The error doesn't include the text, because it may contain a password. */
function parseDescriptor(text: string, context: IssueContext): unknown {
  try {
    return JSON.parse(text);
  } catch {
    context.issues.push({
      code: 'custom',
      input: undefined,
      message: 'must be a source descriptor as JSON text',
    });
    return z.NEVER;
  }
}

/** Body of `POST /indexapi/preview`: the same descriptors, as JSON. */
export const PreviewRequest = z
  .strictObject({ urls: z.union([SourceDescriptor, z.array(SourceDescriptor).min(1)]) })
  .meta({ id: 'PreviewRequest' });
export type PreviewRequest = z.infer<typeof PreviewRequest>;

export const PreviewResponse = z
  .object({
    documents: z.array(z.object({ name: z.string(), url: z.string(), bytes: z.int().nullable() })),
    forbidden: z.array(z.object({ url: z.string(), reason: z.string() })),
  })
  .meta({ id: 'PreviewResponse' });
export type PreviewResponse = z.infer<typeof PreviewResponse>;
