import { expect, it, vi } from 'vitest';
import type { FinishedRequest } from '../calls/exchange/finished-request.ts';
import { observeWith } from './observer.ts';

it('logs what an observer throws, and still calls the others', () => {
  const error = vi.fn();
  const told: string[] = [];
  const observe = observeWith(
    [
      () => {
        throw new Error('broken');
      },
      ({ requestId }) => told.push(requestId),
    ],
    { error },
  );
  observe({ requestId: 'r-1' } as FinishedRequest);
  expect(told).toEqual(['r-1']);
  expect(error).toHaveBeenCalledWith(
    { err: expect.objectContaining({ message: 'broken' }), request_id: 'r-1' },
    'a request observer failed',
  );
});
