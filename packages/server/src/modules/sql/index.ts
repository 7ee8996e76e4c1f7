export { answerSql } from './answer.ts'
export { sqlHandlers } from './handlers.ts'
