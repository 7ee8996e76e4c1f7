export { requestHandlers, type FindRequests } from './handlers.ts'
export { seesAnswer } from './sight.ts'
export { answerUpkeep, findRequests, idempotencyStore } from './store.ts'
