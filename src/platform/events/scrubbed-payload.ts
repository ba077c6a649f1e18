const ANONYMOUS = `'{"external_id": null, "name": null, "email": null, "phone": null, "avatar_url": null, "locale": null,
  "timezone": null, "custom_attributes": {}, "last_seen_at": null}'::jsonb`;

/**
 * SQL of an event's payload without content and personal data: messages, subjects, attributes, ratings and contact
 * data. Ids, times and counts stay.
 *
 * Fields of types that are not listed here stay too, so no other event may contain content or personal data.
 */
export function scrubbedPayload(event: string): string {
  const payload = `${event}.payload`;
  return `CASE
    WHEN ${event}.type LIKE 'message.%' THEN jsonb_set(${payload}, '{message}', ${payload} -> 'message' || jsonb_build_object(
      'content', NULL, 'attachments', '[]'::jsonb, 'client_message_id', NULL,
      'metadata', jsonb_strip_nulls(jsonb_build_object('event', ${payload} #> '{message,metadata,event}'))))
    WHEN ${event}.type = 'conversation.created' THEN ${payload} || jsonb_build_object(
      'conversation', ${payload} -> 'conversation' || '{"subject": null, "custom_attributes": {}, "last_message": null, "csat": null}',
      'contact', ${payload} -> 'contact' || '{"name": null, "email": null, "avatar_url": null}',
      'visitor', ${payload} -> 'visitor' || '{"last_message": null, "csat": null}')
    WHEN ${event}.type = 'conversation.updated' THEN jsonb_set(${payload}, '{changes}',
      (${payload} -> 'changes') - '{subject,custom_attributes,last_message,csat}'::text[])
    WHEN ${event}.type = 'contact.created' THEN ${payload} || ${ANONYMOUS}
    WHEN ${event}.type = 'contact.updated' THEN jsonb_set(${payload}, '{contact}', ${payload} -> 'contact' || ${ANONYMOUS})
    ELSE ${payload} END`;
}
