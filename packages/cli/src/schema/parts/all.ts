import { layoutsPart } from './layouts.ts'
import { listsPart } from './lists.ts'
import type { Part } from './part.ts'
import { settingsPart } from './settings.ts'
import { webhooksPart } from './webhooks.ts'
import { workflowsPart } from './workflows.ts'

/** The parts of a folder beside its objects, in the order in which they are applied. */
export const parts: readonly Part[] = [settingsPart, listsPart, webhooksPart, workflowsPart, layoutsPart]
