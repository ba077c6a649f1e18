export const COLUMNS = 'id, channel_id, conversation_id, contact_id, user_agent';
