export { requestHandlers, type FindRequests } from './handlers.ts'
export { findRequests, forgetAnswers, idempotencyStore } from './store.ts'
