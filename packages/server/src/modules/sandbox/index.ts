export { faultOfProgram } from './checking.ts'
export { callsExceeded, ClientCalls, type RequestSender } from './client-calls.ts'
export { CodeRunner } from './code-runner.ts'
export type { Program } from './protocol.ts'
