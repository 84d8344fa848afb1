import type { Exchange } from '../calls/exchange.ts';
import type { AccessLog } from './access-log.ts';
import { endSpan } from './end-span.ts';
import type { Meters } from './meters.ts';
import type { UsageLedger } from './usage-ledger.ts';

/** Everything that is noted of an exchange once it has ended. */
export function observer(meters: Meters, ledger: UsageLedger, log: AccessLog | undefined) {
  return (exchange: Exchange): void => {
    meters.observe(exchange);
    ledger.observe(exchange);
    log?.observe(exchange);
    if (exchange.span) endSpan(exchange);
  };
}
