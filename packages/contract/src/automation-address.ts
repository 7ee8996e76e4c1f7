import { z } from 'zod'
import { id } from './shared.ts'

/** Where other programs send to a workflow or an agent. */
const automationAddress = z
  .object({
    type: z.literal('automation-address'),
    id: id.meta({ description: 'The id of the workflow or the agent.' }),
    attributes: z.object({
      url: z.string().meta({ example: 'https://crm.example.com/v1/webhooks/agents/acme/AbCdEf' }),
    }),
  })
  .meta({ id: 'AutomationAddress' })

export const addressAnswer = z.object({ data: automationAddress }).meta({ id: 'AutomationAddressAnswer' })
