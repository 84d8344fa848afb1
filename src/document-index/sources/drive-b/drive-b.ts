import { z } from 'zod';
import { BadRequest, UpstreamFailed } from '../../../contracts/problems.ts';
import { Gone, Refused, statusProblem } from '../../../platform/outgoing/answers/answer-problem.ts';
import type { FailedAnswer, Outgoing } from '../../../platform/outgoing/outgoing.ts';
import { createSystemApi } from '../api/system-api.ts';
import type { Source } from '../source.ts';
import { readDriveBLink } from './drive-b-link.ts';
import { listShare, resourceQuery } from './list-drive-b.ts';

interface DriveBSettings {
  endpoint: string;
  token?: string | undefined;
}

const Download = z.object({ href: z.url({ protocol: /^https?$/ }) });

/** Yandex Disk, by public links. */
export function createDriveB(deps: {
  outgoing: Outgoing;
  settings: DriveBSettings;
}): Source<{ type: 'drive_b'; url: string }> {
  const { outgoing, settings } = deps;
  const endpoint = settings.endpoint.replace(/\/+$/, '');
  // Files are stored on servers of their own.
  const trusted = (url: URL) =>
    url.origin === new URL(endpoint).origin ||
    (url.protocol === 'https:' && /(?:^|\.)yandex\.(?:net|ru|com)$/.test(url.hostname));
  const createApi = () =>
    createSystemApi(outgoing, {
      async credentials() {
        if (settings.token) return { authorization: `OAuth ${settings.token}` };
        throw new BadRequest('drive_b is not set up: an administrator must set DRIVE_B_TOKEN', {
          code: 'source_not_configured',
        });
      },
      trusted,
      problemOf: driveBProblem,
      advice: 'the token in DRIVE_B_TOKEN has expired or is mistyped',
    });
  const address = (path: string, query: Record<string, string>) =>
    `${endpoint}/v1/disk/public/resources${path}?${new URLSearchParams(query)}`;

  return {
    async *list({ url }, { signal }) {
      yield* listShare({ api: createApi(), address, link: readDriveBLink(url), url, signal });
    },
    async fetch({ url }, item, { signal, limit }) {
      const { key } = readDriveBLink(url);
      const query = resourceQuery(key, readDriveBLink(item.url).path);
      const { href } = await createApi().json(Download, address('/download', query), signal);
      // The address is signed, so it needs no token.
      const answer = await outgoing.open({ url: href, limit, trusted, problemOf: fileProblem }, signal);
      return { name: item.name, type: answer.headers['content-type'] ?? null, body: answer.body };
    },
  };
}

function driveBProblem({ status }: FailedAnswer) {
  switch (status) {
    case 403:
      return new Refused('the link is protected by a password, or its owner forbids access');
    case 404:
    case 410:
      return new Gone('the drive has no such file or folder, or it is no longer public');
    case 406:
    case 409:
    case 413:
      return new Refused(`the drive refuses to give the file out (${status})`);
    case 423:
      return new UpstreamFailed('the drive is being maintained');
    default:
      return undefined;
  }
}

const fileProblem = (answer: FailedAnswer) => driveBProblem(answer) ?? statusProblem(answer);
