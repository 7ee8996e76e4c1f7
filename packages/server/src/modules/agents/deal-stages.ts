import type { WorkspaceReadContext } from '../../kernel/implement.ts'
import { workspaceSchemas } from '../schemas/index.ts'

/** Returns what is wrong with a stage that agents are to know deals by; nothing where deals have no fixed stages. */
export async function dealStageFault(ctx: WorkspaceReadContext, stage: unknown): Promise<string | undefined> {
  const stages = (await workspaceSchemas(ctx)).get('deal')?.document.properties['stage']?.enum
  if (stages === undefined || stages.includes(stage)) return undefined
  return `Must be a stage of deals: ${stages.map(String).join(', ')}.`
}
