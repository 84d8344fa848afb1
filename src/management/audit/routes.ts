import { AuditPage, AuditQuery } from '../../contracts/management/audit.ts';
import { listAudit } from '../../platform/audit/list-audit.ts';
import type { Session } from '../../platform/database/database.ts';
import type { App } from '../../platform/http/service.ts';

export interface AuditRoutesDependencies {
  database: Session;
}

/** Entries contain names of keys and folders, so this route needs a key in open mode too. */
const access = { scope: 'admin', openable: false } as const;

export function addAuditRoutes(app: App, deps: AuditRoutesDependencies): void {
  app.get(
    '/api/v1/audit',
    {
      config: { access },
      schema: {
        tags: ['audit'],
        summary: 'List audit log entries, newest first',
        querystring: AuditQuery,
        response: { 200: AuditPage },
      },
    },
    (request) => listAudit(deps, request.query),
  );
}
