import type { Service } from '../platform/http/service.ts';
import { addFeedbackRoutes, type FeedbackRouteDependencies } from './feedback/routes.ts';
import { addFileRoutes, type FileDependencies } from './files/routes.ts';
import { addPageRoutes } from './page/routes.ts';
import { addQuestionRoutes, type QuestionDependencies } from './questions/routes.ts';

export interface ChatbotDependencies extends QuestionDependencies, FeedbackRouteDependencies {
  files: FileDependencies;
}

/** Questions to bots, their pages, and the documents that answers cite. */
export function chatbotService(deps: ChatbotDependencies): Service {
  return {
    name: 'chatbot',
    title: 'Roundhouse chatbot',
    description: 'Questions to bots, their pages, and the documents that answers cite.',
    docs: '/v.1.0/docs',
    surfaces: [
      { prefix: '/v.1.0', shape: 'index' },
      { prefix: '/agent', shape: 'index' },
      { prefix: '/documents', shape: 'index' },
    ],
    access: { scope: 'index:read', openable: false },
    async routes(app) {
      addQuestionRoutes(app, deps);
      addFeedbackRoutes(app, deps);
      await addFileRoutes(app, deps.files);
      addPageRoutes(app);
    },
  };
}
