export type { AiSettings } from './ask.ts'
export { chat, type ChatAnswer, type ChatRequest } from './chat.ts'
export { checkAnswer } from './schema-check.ts'
export { type ChatMessage, chatWithTools, type ToolCall, type ToolDefinition } from './stream.ts'
