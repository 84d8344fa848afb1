import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startServer, type Target } from './processes.ts';

const answer = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'mock',
  choices: [
    {
      index: 0,
      message: { role: 'assistant', content: 'Hello there, how can I help you today?' },
      finish_reason: 'stop',
    },
  ],
  usage: { prompt_tokens: 10, completion_tokens: 10, total_tokens: 20 },
});
const models = JSON.stringify({
  object: 'list',
  data: [{ id: 'mock', object: 'model', created: 1, owned_by: 'mock' }],
});

/** The pod for all targets: it costs almost nothing, and answers everything that the routers request from a pod. */
export function startMockPod(port: number): Promise<Target> {
  return startNginx(
    'mock pod',
    port,
    `
    default_type application/json;
    location /v1/chat/completions { return 200 '${answer}'; }
    location /v1/models { return 200 '${models}'; }
    location / { return 200 '{}'; }`,
  );
}

/** The reference: the same pod behind nginx's proxy, with unbuffered answers. */
export function startNginxProxy(port: number, pod: string): Promise<Target> {
  const upstream = pod.replace('http://', '');
  return startNginx(
    'nginx',
    port,
    `location / { proxy_pass http://pods; proxy_http_version 1.1; proxy_set_header connection ""; proxy_buffering off; }`,
    `upstream pods { server ${upstream}; keepalive 2048; keepalive_requests 100000000; }`,
  );
}

async function startNginx(name: string, port: number, server: string, beside = ''): Promise<Target> {
  const folder = mkdtempSync(join(tmpdir(), 'roundhouse-nginx-'));
  writeFileSync(
    join(folder, 'nginx.conf'),
    `worker_processes 1; daemon off; pid ${folder}/pid; error_log /dev/null; worker_rlimit_nofile 20000;
    events { worker_connections 10000; }
    http {
      access_log off; keepalive_requests 100000000; keepalive_timeout 600s;
      client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy; fastcgi_temp_path ${folder}/fastcgi;
      uwsgi_temp_path ${folder}/uwsgi; scgi_temp_path ${folder}/scgi;
      ${beside}
      server { listen 127.0.0.1:${port} backlog=4096; ${server} }
    }`,
  );
  return startServer(name, ['nginx', '-c', join(folder, 'nginx.conf'), '-p', folder], port);
}
