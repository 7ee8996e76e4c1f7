export { requestHandlers, seesAnswer, type FindRequests } from './handlers.ts'
export { answerUpkeep, findRequests, idempotencyStore } from './store.ts'
