import type { FastifyReply } from 'fastify';
import { CommandAccepted } from '../../../contracts/document-index/commands.ts';

/** What the routes of commands have in common in their descriptions. */
export const acceptedResponse = { 202: CommandAccepted };
export const formData = ['multipart/form-data'];

export function accepted(reply: FastifyReply, answer: CommandAccepted): CommandAccepted {
  reply.code(202);
  return answer;
}
