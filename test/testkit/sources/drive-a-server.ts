import { createVerify, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { type RefusedPaths, statusFor } from './refused-paths.ts';
import { startWebServer, type WebServer } from './web-server.ts';

export interface StandInFile {
  id: string;
  name: string;
  /** `folder`, `shortcut`, `document`, `spreadsheet`, `form` … for Google's own; else a media type. */
  type: string;
  parent?: string;
  target?: string;
  content?: Buffer;
  modified?: string;
  md5?: string;
  resourceKey?: string;
  canDownload?: boolean;
  canListChildren?: boolean;
  trashed?: boolean;
  /** The service account may not see it. */
  hidden?: boolean;
}

export interface DriveAFaults {
  cap?: number;
  /** Every n-th request is refused with 403 userRateLimitExceeded. */
  refuseEvery?: number;
  refused?: RefusedPaths;
  /** Answers of lists say that not all drives were searched. */
  incompleteSearch?: boolean;
  /** Lists go on with this token for ever. */
  endlessToken?: string;
  /** Exports fail with exportSizeLimitExceeded. */
  largeExports?: boolean;
}

export interface DriveAServer extends WebServer {
  faults: DriveAFaults;
  files: StandInFile[];
  /** The key file of its service account. */
  credentialsPath: string;
  /** Makes the tokens that were given out so far invalid. */
  revoke(): void;
  tokens: number;
}

const native = 'application/vnd.google-apps.';
const mimeOf = ({ type }: StandInFile) => (type.includes('/') ? type : native + type);

/** Google Drive as the documentation of its API v3 describes it, with the token endpoint for service accounts. */
export async function startDriveAServer(
  files: StandInFile[],
  at: { host?: string; port?: number } = {},
): Promise<DriveAServer> {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', {
    modulusLength: 2048,
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const faults: DriveAFaults = {};
  let valid = '';
  let count = 0;

  const refuse = (response: ServerResponse, status: number, reason: string) =>
    send(response, { error: { code: status, message: 'internal detail', errors: [{ reason }] } }, status);
  const send = (response: ServerResponse, body: unknown, status = 200) =>
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));

  const json = (file: StandInFile) => ({
    id: file.id,
    name: file.name,
    mimeType: mimeOf(file),
    trashed: file.trashed ?? false,
    modifiedTime: file.modified ?? '2026-01-01T00:00:00.000Z',
    webViewLink: `https://drive.google.com/file/d/${file.id}/view?usp=drivesdk`,
    capabilities: { canDownload: file.canDownload ?? true, canListChildren: file.canListChildren ?? true },
    ...(file.content && file.type.includes('/') && { size: String(file.content.length) }),
    ...(file.md5 && { md5Checksum: file.md5 }),
    ...(file.resourceKey && { resourceKey: file.resourceKey }),
    ...(file.target && { shortcutDetails: { targetId: file.target } }),
    ...(mimeOf(file).startsWith(native) && {
      exportLinks: { 'application/pdf': `${server.url}/feeds/download?id=${file.id}` },
    }),
  });

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const url = new URL(request.url ?? '', 'http://drive');
    if (url.pathname === '/token') return giveToken(request, response);
    count++;
    if (faults.refuseEvery && count % faults.refuseEvery === 0)
      return refuse(response, 403, 'userRateLimitExceeded');
    const refused = statusFor(faults.refused, request.url);
    if (refused === 0) return response.destroy();
    if (refused) return refuse(response, refused, 'insufficientFilePermissions');
    if (request.headers.authorization !== `Bearer ${valid}`) return refuse(response, 401, 'authError');
    const keys = String(request.headers['x-goog-drive-resource-keys'] ?? '');
    const isVisible = (it: StandInFile) =>
      !it.hidden && (!it.resourceKey || keys.includes(`${it.id}/${it.resourceKey}`));
    if (url.pathname === '/drive/v3/files') return list(url, response);
    const [, id, action] = /^\/drive\/v3\/files\/([\w-]+)(\/export)?$/.exec(url.pathname) ?? [];
    const file = files.find((it) => it.id === (id ?? url.searchParams.get('id')) && isVisible(it));
    if (!file) return refuse(response, 404, 'notFound');
    const content = file.content ?? Buffer.from('');
    if (action && faults.largeExports) return refuse(response, 403, 'exportSizeLimitExceeded');
    if (action || url.pathname === '/feeds/download') return response.end(content);
    if (url.searchParams.get('alt') !== 'media') return send(response, json(file));
    if (file.canDownload === false) return refuse(response, 403, 'cannotDownloadFile');
    if (mimeOf(file).startsWith(native)) return refuse(response, 403, 'fileNotDownloadable');
    return response.writeHead(200, { 'content-type': file.type }).end(content);
  }

  function list(url: URL, response: ServerResponse): unknown {
    const parent = /^'([\w-]+)' in parents/.exec(url.searchParams.get('q') ?? '')?.[1];
    const start = Number(url.searchParams.get('pageToken') ?? 0);
    const all = files.filter((it) => it.parent === parent && !it.hidden && !it.trashed);
    const size = Math.min(Number(url.searchParams.get('pageSize')), faults.cap ?? 1_000);
    const more = start + size < all.length && { nextPageToken: String(start + size) };
    const { incompleteSearch = false, endlessToken } = faults;
    const token = endlessToken !== undefined && { nextPageToken: endlessToken };
    return send(response, {
      files: all.slice(start, start + size).map(json),
      incompleteSearch,
      ...more,
      ...token,
    });
  }

  async function giveToken(request: IncomingMessage, response: ServerResponse): Promise<unknown> {
    const form = new URLSearchParams(await text(request));
    const [head = '', claims = '', signature = ''] = (form.get('assertion') ?? '').split('.');
    const signed = createVerify('RSA-SHA256')
      .update(`${head}.${claims}`)
      .verify(publicKey, signature, 'base64url');
    const { aud, exp } = signed ? JSON.parse(Buffer.from(claims, 'base64url').toString()) : {};
    if (aud !== `${server.url}/token` || exp * 1000 < Date.now())
      return send(response, { error: 'invalid_grant' }, 400);
    result.tokens++;
    valid = `ya29.${result.tokens}`;
    return send(response, { access_token: valid, expires_in: 3600, token_type: 'Bearer' });
  }

  const server = await startWebServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  }, at);
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-drive-a-'));
  const credentialsPath = join(folder, 'credentials.json');
  const account = {
    type: 'service_account',
    client_email: 'indexer@project.iam.example',
    private_key: privateKey,
  };
  writeFileSync(credentialsPath, JSON.stringify({ ...account, token_uri: `${server.url}/token` }));
  const result: DriveAServer = {
    ...server,
    faults,
    files,
    credentialsPath,
    tokens: 0,
    async close() {
      rmSync(folder, { recursive: true, force: true });
      await server.close();
    },
    revoke: () => {
      valid = '';
    },
  };
  return result;
}
