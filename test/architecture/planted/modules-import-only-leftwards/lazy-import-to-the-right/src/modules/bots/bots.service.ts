export const later = () => import('../realtime/index.js');
