import type { AccountStatus } from '../contracts/hosted/accounts.ts';

declare module '../platform/database/tables.ts' {
  interface Tables {
    hosted_accounts: HostedAccountRow;
    hosted_registrations: HostedRegistrationRow;
  }
}

export interface HostedAccountRow {
  id: string;
  /** In lower case, so that one address has one account. */
  email: string;
  name: string | null;
  status: AccountStatus;
  key_id: string;
  created_at: number;
  decided_at: number | null;
}

/** Attempts to register per source and hour; the source `*` counts all of them. */
export interface HostedRegistrationRow {
  source: string;
  hour: number;
  attempts: number;
}
