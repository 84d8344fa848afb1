const quantizationName =
  /(?:^|[-._/])((?:UD-)?(?:I?Q\d(?:_[A-Z\d]+)*|TQ\d_\d|MXFP4(?:_[A-Z]+)*|BF16|F16|F32|FP16))(?=$|[-._/])/i;

/** `Q4_K_M` for `model-Q4_K_M-00001-of-00002.gguf`; the name of the folder may say it, too. */
export function quantizationOf(path: string): string | null {
  const bare = path.replace(/\.gguf$/, '').replace(/-\d{5}-of-\d{5}$/, '');
  const inName = quantizationName.exec(bare.split('/').at(-1) ?? '')?.[1];
  return (inName ?? quantizationName.exec(bare)?.[1])?.toUpperCase() ?? null;
}
