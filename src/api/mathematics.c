/* Deterministic mathematics for scripts. */
#include "math/math.h"
#include "scree.h"

double scree_sin(double x)
{
	return Trig_Sin(x);
}
double scree_cos(double x)
{
	return Trig_Cos(x);
}
double scree_tan(double x)
{
	return Trig_Tan(x);
}
double scree_asin(double x)
{
	return Trig_Asin(x);
}
double scree_acos(double x)
{
	return Trig_Acos(x);
}
double scree_atan2(double y, double x)
{
	return Trig_Atan2(y, x);
}
double scree_exp(double x)
{
	return Trig_Exp(x);
}
double scree_log(double x)
{
	return Trig_Log(x);
}
double scree_pow(double x, double y)
{
	return Trig_Pow(x, y);
}
