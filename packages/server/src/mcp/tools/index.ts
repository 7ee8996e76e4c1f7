import type { McpTool } from '../tool.ts'
import { aggregate } from './aggregate.ts'
import { create } from './create.ts'
import { describeSchema } from './describe-schema.ts'
import { list } from './list.ts'
import { read } from './read.ts'
import { search } from './search.ts'
import { update } from './update.ts'
import { upsert } from './upsert.ts'

/** The tools of the MCP server. Their names never change. */
export const tools: readonly McpTool[] = [search, describeSchema, read, list, aggregate, create, update, upsert]
