import type { WorkspaceSettings } from '@kontor/contract'
import { z } from 'zod'
import { memberOf } from '../../../lib/guards.ts'
import { block, StepFailure, type Block, type BlockContext } from '../../plugins/index.ts'
import { runProgram, type CodeServices } from '../../blocks/index.ts'
import { type AiSettings } from '../../language-models/index.ts'
import { agentPlugin, agentTask } from '../task.ts'
import { programWithinMinutes, withinMinutes } from './budget.ts'
import { takeTurn } from './model.ts'
import { Toolbox } from './tools.ts'

type AgentBlockServices = CodeServices & {
  /** Without them, the server has no language model to ask. */
  readonly ai: AiSettings | undefined
  readonly settingsOf: (workspaceId: string) => Promise<WorkspaceSettings>
}

/** The one block of an agent: its code, or a language model with the operations of the API as tools. */
export function agentBlock({ ai, settingsOf, ...services }: AgentBlockServices): Block {
  const toolbox = new Toolbox()
  return block({
    id: agentPlugin,
    title: 'Run an agent',
    description: 'Runs an agent, within its scopes and budgets.',
    types: ['agent'],
    input: agentTask,
    verbatim: ['instructions', 'code', 'model'],
    output: z.unknown(),
    isLoop: true,
    run: (context, task) => {
      const { code, budgets } = task
      if (code !== null)
        return programWithinMinutes(context, budgets, (wallMsMax) =>
          runProgram(services, context, { code, input: inputOf(context), callsMax: budgets.calls, wallMsMax }),
        )
      return withinMinutes(context, budgets, async (signal) => {
        if (ai === undefined)
          throw new StepFailure('ai_not_configured', 'The server has no language model: AI_BASE_URL is not set.')
        return takeTurn({ ai, toolbox, settingsOf }, { ...context, signal }, task)
      })
    },
  })
}

/** Returns the input that the run was begun with: `data` of the call, or the request to the address. */
const inputOf = ({ scope }: BlockContext): unknown =>
  memberOf(memberOf(memberOf(memberOf(scope, 'trigger'), 'state'), 'event'), 'data')
