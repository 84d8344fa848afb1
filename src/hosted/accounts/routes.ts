import { z } from 'zod';
import {
  Account,
  AccountQuery,
  ApproveRequest,
  RegisterRequest,
  RegisterResponse,
} from '../../contracts/hosted/accounts.ts';
import { actorOf } from '../../platform/http/requests/actor-of.ts';
import type { App } from '../../platform/http/service.ts';
import type { AccountDependencies } from './account-dependencies.ts';
import { approveAccount } from './approve-account.ts';
import { closeAccount } from './close-account.ts';
import { describeAccounts } from './describe-accounts.ts';
import { registerAccount } from './register-account.ts';

export function addRegistrationRoute(app: App, deps: AccountDependencies): void {
  app.post(
    '/hosted/v1/register',
    {
      config: { access: 'public' },
      schema: {
        tags: ['accounts'],
        summary: 'Register for a key',
        description:
          'The key itself is only shown in this response. `pending`: an administrator has to approve it.',
        body: RegisterRequest,
        response: { 201: RegisterResponse },
      },
    },
    async (request, reply) => {
      const registration = { ...request.body, address: request.ip };
      return reply.code(201).send(await registerAccount(deps, actorOf(request), registration));
    },
  );
}

/** These give others access, so they need a key in open mode too. */
const access = { scope: 'admin', openable: false } as const;
const tags = ['accounts'];
const params = z.object({ account_id: z.string() });

export function addAccountRoutes(app: App, deps: AccountDependencies): void {
  app.get(
    '/api/v1/accounts/',
    {
      config: { access },
      schema: {
        tags,
        summary: 'List registered accounts',
        querystring: AccountQuery,
        response: { 200: z.array(Account) },
      },
    },
    (request) => describeAccounts(deps, request.query),
  );
  app.post(
    '/api/v1/accounts/:account_id/approve',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Approve a pending account',
        params,
        body: ApproveRequest.nullish(),
        response: { 200: Account },
      },
    },
    (request) =>
      approveAccount(deps, actorOf(request), { id: request.params.account_id, ...(request.body ?? {}) }),
  );
  app.delete(
    '/api/v1/accounts/:account_id',
    {
      config: { access },
      schema: {
        tags,
        summary: 'Refuse or close an account',
        description: 'Its key is revoked. The e-mail address cannot register again.',
        params,
        response: { 200: Account },
      },
    },
    (request) => closeAccount(deps, actorOf(request), request.params.account_id),
  );
}
