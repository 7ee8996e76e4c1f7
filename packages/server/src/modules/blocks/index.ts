export { type BlockServices, createBlocks, type WebhookSender } from './all.ts'
export { attachedFiles } from './attached-files.ts'
export { type CodeServices, runProgram } from './execute-code.ts'
export { letterSyntaxes } from './send-email.ts'
