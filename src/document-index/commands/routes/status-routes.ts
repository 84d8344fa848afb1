import { IndexPath } from '../../../contracts/document-index/bots.ts';
import { CommandList, CommandPath, CommandStatus } from '../../../contracts/document-index/commands.ts';
import { actorOf } from '../../../platform/http/requests/actor-of.ts';
import type { App } from '../../../platform/http/service.ts';
import type { IndexDependencies } from '../../index-dependencies.ts';
import { cancelCommand } from '../cancel-command.ts';
import { readCommand, readCommands } from '../read-commands.ts';

const tags = ['commands'];
const reading = { access: { scope: 'index:read', openable: false } } as const;

/** Reading and cancelling commands. */
export function addCommandStatusRoutes(app: App, deps: IndexDependencies): void {
  app.get(
    '/indexapi/bot/:index_id/commands',
    {
      config: reading,
      schema: {
        tags,
        summary: 'List the active and recently ended commands of a bot',
        params: IndexPath,
        response: { 200: CommandList },
      },
    },
    (request) => readCommands(deps, request.params.index_id),
  );

  app.get(
    '/indexapi/bot/:index_id/command/:command_id',
    {
      config: reading,
      schema: {
        tags,
        summary: 'Follow a command',
        description: 'Commands are kept for a day after their end.',
        params: CommandPath,
        response: { 200: CommandStatus },
      },
    },
    (request) => readCommand(deps, request.params.index_id, request.params.command_id),
  );

  app.delete(
    '/indexapi/bot/:index_id/command/:command_id',
    {
      schema: {
        tags,
        summary: 'Cancel a command',
        description: 'The index is then as before. 409 once the command has changed the index or ended.',
        params: CommandPath,
        response: { 200: CommandStatus },
      },
    },
    (request) => {
      const { index_id: bot, command_id: command } = request.params;
      return cancelCommand(deps, actorOf(request), { bot, command });
    },
  );
}
