import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type BuiltTestApp, buildTestApp } from '../../../test/testkit/app.ts';
import type { Job } from '../../contracts/management/jobs.ts';
import { managementService } from '../management-service.ts';

let test: BuiltTestApp;
beforeEach(async () => {
  test = await buildTestApp((deps) => [managementService(deps)]);
});
afterEach(() => test.close());

const call = async (method: 'GET' | 'POST', url: string) => {
  const answer = await test.app.inject({ method, url });
  return { status: answer.statusCode, body: answer.json() };
};

describe('GET /api/v1/jobs/', () => {
  it('200 an empty list at first, then jobs, newest first, without other work', async () => {
    expect(await call('GET', '/api/v1/jobs')).toEqual({ status: 200, body: [] });
    await test.deps.queue.enqueue({ kind: 'DOWNLOAD', name: 'DOWNLOAD_org/one' });
    await test.deps.queue.enqueue({ kind: 'INDEX', name: 'a command of a bot' });
    const { id } = await test.deps.queue.enqueue({ kind: 'DEPLOY', name: 'DEPLOY_org/one_adapters_' });
    const { body } = await call('GET', '/api/v1/jobs/');
    expect(body.map((job: Job) => job.name)).toEqual(['DEPLOY_org/one_adapters_', 'DOWNLOAD_org/one']);
    expect(body[0]).toEqual({
      id,
      name: 'DEPLOY_org/one_adapters_',
      status: 'CREATED',
      started_at: expect.stringMatching(/^\d{4}-.*Z$/),
      finished_at: null,
      progress: null,
      error: null,
    });
  });
});

describe('GET /api/v1/jobs/{job_id}/status/', () => {
  it('200 the job, 404 an unknown one or other work', async () => {
    const job = await test.deps.queue.enqueue({ kind: 'DOWNLOAD', name: 'DOWNLOAD_org/one' });
    const command = await test.deps.queue.enqueue({ kind: 'INDEX', name: 'a command of a bot' });
    expect(await call('GET', `/api/v1/jobs/${job.id}/status/`)).toMatchObject({
      status: 200,
      body: { id: job.id },
    });
    expect(await call('GET', '/api/v1/jobs/none/status')).toEqual({
      status: 404,
      body: { detail: "job 'none' was not found" },
    });
    expect(await call('GET', `/api/v1/jobs/${command.id}/status`)).toMatchObject({ status: 404 });
  });
});

describe('POST /api/v1/jobs/{job_id}/interrupt/', () => {
  it('200 KILLED; 409 if it has ended; 404 unknown', async () => {
    const { id } = await test.deps.queue.enqueue({ kind: 'DOWNLOAD', name: 'DOWNLOAD_org/one' });
    expect(await call('POST', `/api/v1/jobs/${id}/interrupt/`)).toMatchObject({
      status: 200,
      body: { id, status: 'KILLED', finished_at: expect.any(String) },
    });
    expect(await call('POST', `/api/v1/jobs/${id}/interrupt/`)).toMatchObject({
      status: 409,
      body: { detail: expect.stringContaining('ended') },
    });
    expect(await call('POST', '/api/v1/jobs/none/interrupt/')).toMatchObject({ status: 404 });
  });
});
