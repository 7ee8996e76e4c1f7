import { z } from 'zod'
import { newList } from './list.ts'
import { anyTree } from './layouts.ts'
import { settingChange } from './setting.ts'
import { newWebhook } from './webhooks.ts'
import { newWorkflow } from './workflow.ts'

/** The contents of the files that describe a workspace, by the part of it that they describe; objects are documents. */
export const workspaceFiles = {
  settings: settingChange,
  lists: z.strictObject({ ...newList.shape, object: z.string().min(1) }),
  webhooks: newWebhook,
  workflows: newWorkflow.omit({ type: true }).extend({ draft: z.boolean().optional() }),
  layouts: z.strictObject({ id: z.string().min(1), tree: anyTree }),
} as const

export type WorkspaceFile = (typeof workspaceFiles)[keyof typeof workspaceFiles]
