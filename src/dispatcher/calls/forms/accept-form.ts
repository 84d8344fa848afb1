import type { Readable } from 'node:stream';
import { InvalidInput, PayloadTooLarge, UnsupportedMediaType } from '../../../contracts/problems.ts';
import { headerOf } from '../../../platform/wire/head.ts';
import type { Exchange } from '../exchange/exchange.ts';
import { FormPayload, HeldForm } from './form-payload.ts';
import { FormScanner } from './form-scanner.ts';

/** Reads a form until its model and the beginning of its file are known; from there on it flows through to the pod. */
export function acceptForm(exchange: Exchange, request: Readable): void {
  const { context, call } = exchange;
  const { form_buffer, form_limit, spool_dir } = context.settings;
  const scanner = new FormScanner(boundaryOf(headerOf(call.headers, 'content-type')));
  const announced = headerOf(call.headers, 'content-length');
  if (Number(announced ?? 0) > form_limit) throw tooLarge(form_limit);
  const held = new HeldForm({ limit: form_buffer, bodies: context.bodies, folder: spool_dir });
  exchange.discardWith(() => held.dispose());
  let length = 0;
  let writing = 0;
  let atEnd = false;

  const proceed = () => {
    if (exchange.ended) return;
    const { model, modelPlace, hasFile } = scanner;
    if (model === undefined || model === '' || !modelPlace || !hasFile) {
      return exchange.refuse(missing([...(hasFile ? [] : ['file']), ...(model ? [] : ['model'])]));
    }
    exchange.discardWith(undefined);
    exchange.send(new FormPayload({ held, complete: atEnd, request, announced, model, modelPlace }));
  };
  const onData = (chunk: Buffer) => exchange.guarded.run(() => read(chunk));
  const read = (chunk: Buffer) => {
    length += chunk.length;
    if (length > form_limit) return stop(() => exchange.refuse(tooLarge(form_limit)));
    scanner.feed(chunk);
    const written = held.add(chunk);
    if (written) {
      writing++;
      request.pause();
      written
        .then(() => {
          writing--;
          if (writing > 0) return;
          if (scanner.satisfied || atEnd) proceed();
          else request.resume();
        })
        .catch((error: unknown) => stop(() => exchange.crash(error)));
    }
    if (scanner.broken) return stop(() => exchange.refuse(broken()));
    if (scanner.satisfied) {
      request.pause();
      request.off('data', onData).off('end', onEnd);
      if (writing === 0) proceed();
    }
  };
  const onEnd = () => {
    atEnd = true;
    if (writing === 0) exchange.guarded.run(proceed);
  };
  const stop = (then: () => void) => {
    request.off('data', onData).off('end', onEnd);
    then();
  };
  request.on('data', onData).on('end', onEnd);
}

function boundaryOf(type: string | undefined): string {
  if (type === undefined || !/^multipart\/form-data\s*(;|$)/i.test(type)) {
    throw new UnsupportedMediaType('send the request as multipart/form-data');
  }
  const match = /;\s*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(type);
  const boundary = match?.[1] ?? match?.[2];
  if (!boundary || boundary.length > 256) throw broken();
  return boundary;
}

function missing(fields: string[]): InvalidInput {
  return new InvalidInput(
    fields.map((field) => ({ loc: ['body', field], msg: 'Field required', type: 'missing' })),
  );
}

function broken(): InvalidInput {
  return new InvalidInput([
    { loc: ['body'], msg: 'There was an error parsing the body', type: 'multipart_invalid' },
  ]);
}

function tooLarge(limit: number): PayloadTooLarge {
  return new PayloadTooLarge(`the form is larger than the ${limit} bytes this server accepts`);
}
